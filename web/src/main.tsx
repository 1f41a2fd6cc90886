// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { readProfile } from "./data";
import { App } from "./ui/app";

const root = document.getElementById("app")!,
  data = document.getElementById("data")!;

readProfile(data).then(
  profile => {
    data.remove(); // megabytes of text that nobody needs any more
    (window as any).coldspot = profile; // for tests and for the console
    render(<App profile={profile} />, root);
  },
  error => {
    root.className = "broken";
    root.textContent = `This report cannot be read: ${error.message ?? error}`;
  },
);
