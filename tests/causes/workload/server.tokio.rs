// SPDX-License-Identifier: Apache-2.0
// A server on Tokio. idle: without a client. stall: a task that sleeps as a thread does, which
// keeps its worker from all other tasks. mutex: threads of the blocking pool that take turns.
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[inline(never)]
fn nap() {
    std::thread::sleep(Duration::from_millis(200));
    // or the call of sleep() is a jump, and this function not on the stack
    std::hint::black_box(());
}

async fn hold_up() {
    loop {
        nap();
        tokio::task::yield_now().await;
    }
}

fn take_turns(held: Arc<Mutex<u64>>) {
    loop {
        let mut n = held.lock().unwrap();
        *n += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
}

async fn serve(how: String, path: String) {
    // a thread of the pool for what blocks, which has nothing to do from now on
    tokio::task::spawn_blocking(|| ()).await.unwrap();
    let held = Arc::new(Mutex::new(0));
    match how.as_str() {
        "stall" => drop(tokio::spawn(hold_up())),
        "mutex" => {
            for _ in 0..4 {
                let held = held.clone();
                tokio::task::spawn_blocking(move || take_turns(held));
            }
        }
        _ => (),
    }
    let listener = tokio::net::UnixListener::bind(path).unwrap();
    loop {
        let _ = listener.accept().await;
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(3)
        // longer than the test looks
        .thread_keep_alive(Duration::from_secs(600))
        .enable_all()
        .build()
        .unwrap()
        .block_on(serve(args[1].clone(), args[2].clone()));
}
