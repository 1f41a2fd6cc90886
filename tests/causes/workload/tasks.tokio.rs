// SPDX-License-Identifier: Apache-2.0
// Tasks of Tokio whose waits are known: each kind waits in one way for a part of its time and
// sleeps for the rest, and adds up how long. A line "begin" on standard input starts the sums
// again, "end" prints them as JSON, nanoseconds by kind, with how many tasks there are of it.
use std::future::Future;
use std::io::BufRead;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, Mutex, Notify, Semaphore};

const EACH: u64 = 8;

struct Sums {
    name: &'static str,
    tasks: u64,
    waited: AtomicU64,
    slept: AtomicU64,
}

const fn sums(name: &'static str, tasks: u64) -> Sums {
    Sums { name, tasks, waited: AtomicU64::new(0), slept: AtomicU64::new(0) }
}

static LOCKS: Sums = sums("locks", EACH);
static QUEUES: Sums = sums("queues", EACH);
static EVENTS: Sums = sums("events", EACH);
static CHILDREN: Sums = sums("children", EACH);
static PERMITS: Sums = sums("permits", EACH);
static STREAMS: Sums = sums("streams", EACH);
static BOXES: Sums = sums("boxes", EACH);
static LIMITS: Sums = sums("limits", EACH);
static HOG: Sums = sums("hog", 1);
static ALL: [&Sums; 9] =
    [&LOCKS, &QUEUES, &EVENTS, &CHILDREN, &PERMITS, &STREAMS, &BOXES, &LIMITS, &HOG];

// Of different lengths: tasks in step with each other would be one observation.
fn length() -> Duration {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let x = SEED.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed);
    Duration::from_micros(20_000 + (x ^ x >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) % 20_000)
}

async fn nap() {
    tokio::time::sleep(length()).await
}

async fn wait<F: Future>(kind: &Sums, what: F) -> F::Output {
    let begin = Instant::now();
    let out = what.await;
    kind.waited.fetch_add(begin.elapsed().as_nanos() as u64, Relaxed);
    out
}

async fn rest(kind: &Sums) {
    let begin = Instant::now();
    nap().await;
    kind.slept.fetch_add(begin.elapsed().as_nanos() as u64, Relaxed);
}

// A thread does it, so that no other task is there.
fn later<F: FnOnce() + Send + 'static>(what: F) {
    std::thread::spawn(move || {
        std::thread::sleep(length());
        what()
    });
}

async fn locks() {
    let lock = Arc::new(Mutex::new(0));
    loop {
        let held = lock.clone().lock_owned().await;
        later(move || drop(held));
        drop(wait(&LOCKS, lock.lock()).await);
        rest(&LOCKS).await;
    }
}

async fn queues() {
    let (send, mut receive) = mpsc::unbounded_channel();
    loop {
        let send = send.clone();
        later(move || send.send(1).unwrap());
        wait(&QUEUES, receive.recv()).await;
        rest(&QUEUES).await;
    }
}

async fn events() {
    let event = Arc::new(Notify::new());
    loop {
        let set = event.clone();
        later(move || set.notify_one());
        wait(&EVENTS, event.notified()).await;
        rest(&EVENTS).await;
    }
}

async fn children() {
    loop {
        wait(&CHILDREN, tokio::spawn(nap())).await.unwrap();
        rest(&CHILDREN).await;
    }
}

async fn permits() {
    let permits = Arc::new(Semaphore::new(1));
    loop {
        let held = permits.clone().acquire_owned().await.unwrap();
        later(move || drop(held));
        drop(wait(&PERMITS, permits.acquire()).await);
        rest(&PERMITS).await;
    }
}

async fn streams() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let far = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut near = listener.accept().await.unwrap().0;
    loop {
        let mut far = far.try_clone().unwrap();
        later(move || std::io::Write::write_all(&mut far, b"x").unwrap());
        wait(&STREAMS, near.read_u8()).await.unwrap();
        near.flush().await.unwrap();
        rest(&STREAMS).await;
    }
}

// A future whose type only its vtable says.
fn chosen(event: Arc<Notify>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move { event.notified().await })
}

async fn boxes() {
    let event = Arc::new(Notify::new());
    loop {
        let set = event.clone();
        later(move || set.notify_one());
        wait(&BOXES, chosen(event.clone())).await;
        rest(&BOXES).await;
    }
}

const HOUR: Duration = Duration::from_secs(3600);

// A future behind a pointer, in one of Tokio's.
async fn limits() {
    let (send, mut receive) = mpsc::channel(1);
    loop {
        let send = send.clone();
        later(move || send.blocking_send(1).unwrap());
        let mut item = Box::pin(receive.recv());
        let item = tokio::time::timeout(HOUR, item.as_mut());
        wait(&LIMITS, item).await.unwrap();
        rest(&LIMITS).await;
    }
}

// Runs for 20 of 100 ms, or longer where others have its CPU: "waited" is what it ran. What it
// keeps makes its code differ from that of nap(): the compiler makes one function of equal ones,
// which then has two names.
async fn hog() {
    let kept: Vec<String> = std::env::args().collect();
    loop {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(19 + kept.len() as u64) {}
        HOG.waited.fetch_add(begin.elapsed().as_nanos() as u64, Relaxed);
        let begin = Instant::now();
        tokio::time::sleep(Duration::from_millis(80)).await;
        HOG.slept.fetch_add(begin.elapsed().as_nanos() as u64, Relaxed);
    }
}

// Always ready: the only worker of its runtime is in a call that blocks.
async fn held() {
    tokio::task::yield_now().await;
}

async fn blocks() {
    std::thread::sleep(Duration::from_secs(3600));
}

async fn worker(mut queue: mpsc::UnboundedReceiver<u64>) {
    queue.recv().await;
}

fn start(other: &tokio::runtime::Runtime) -> mpsc::UnboundedSender<u64> {
    for _ in 0..EACH {
        tokio::spawn(locks());
        tokio::spawn(queues());
        tokio::spawn(events());
        tokio::spawn(children());
        tokio::spawn(permits());
        tokio::spawn(streams());
        tokio::spawn(boxes());
        tokio::spawn(limits());
    }
    tokio::spawn(hog());
    let (send, receive) = mpsc::unbounded_channel();
    tokio::spawn(worker(receive));
    other.spawn(blocks());
    std::thread::sleep(Duration::from_millis(100));
    for _ in 0..3 {
        other.spawn(held());
    }
    send
}

fn print() {
    let parts: Vec<String> = ALL
        .iter()
        .map(|s| {
            let (waited, slept) = (s.waited.load(Relaxed), s.slept.load(Relaxed));
            format!(
                "\"{}\":{{\"waited\":{waited},\"slept\":{slept},\"tasks\":{}}}",
                s.name, s.tasks
            )
        })
        .collect();
    println!("{{{}}}", parts.join(","));
}

fn main() {
    let new = |threads| {
        let mut b = tokio::runtime::Builder::new_multi_thread();
        b.worker_threads(threads).enable_all().build().unwrap()
    };
    let (runtime, other) = (new(2), new(1));
    let _entered = runtime.enter();
    let _send = start(&other);
    std::thread::sleep(Duration::from_millis(200));
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        match line.unwrap().as_str() {
            "begin" => ALL.iter().for_each(|s| {
                s.waited.store(0, Relaxed);
                s.slept.store(0, Relaxed)
            }),
            _ => print(),
        }
    }
}
