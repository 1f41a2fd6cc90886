// SPDX-License-Identifier: Apache-2.0
// Threads that take turns with a Mutex.
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

#[inline(never)]
fn take_turns(held: Arc<Mutex<u64>>) {
    loop {
        let mut n = held.lock().unwrap();
        *n += 1;
        thread::sleep(Duration::from_millis(20));
    }
}

fn main() {
    let held = Arc::new(Mutex::new(0));
    for _ in 0..3 {
        let held = held.clone();
        thread::spawn(move || take_turns(held));
    }
    take_turns(held);
}
