// SPDX-License-Identifier: Apache-2.0
//
// Where the data comes from: the page itself, or the server that it was loaded from. In a worker of
// the page, the same script decodes profiles.
import { render } from "preact";
import { readProfile } from "./data";
import { Watch } from "./live/watch";
import { work } from "./live/worker";
import { Report } from "./report";
import { App } from "./ui/app";
import { LivePage } from "./ui/live";

function show(): void {
  const root = document.getElementById("app")!,
    data = document.getElementById("data")!;
  if (data.dataset.live) {
    render(<LivePage watch={new Watch()} />, root);
    return;
  }
  readProfile(data).then(
    profile => {
      data.remove(); // megabytes of text that nobody needs any more
      const report = new Report(profile);
      Object.assign(window, { coldspot: profile, report }); // for tests and for the console
      render(<App report={report} />, root);
    },
    error => {
      root.className = "broken";
      root.textContent = `This report cannot be read: ${error.message ?? error}`;
    },
  );
}

if (typeof document === "undefined") work(self as any);
else show();
