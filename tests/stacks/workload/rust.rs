// SPDX-License-Identifier: Apache-2.0
//! Closures, collections, traits and panics of Rust's standard library.
use std::collections::{BTreeMap, HashMap};
use std::panic;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::Duration;

fn some(n: u64) {
    if n % 9 == 0 {
        thread::sleep(Duration::from_micros(100 + n % 700));
    }
}

trait Shape {
    fn area(&self, n: u64) -> u64;
}

struct Leaf;
struct Nested(Box<dyn Shape>);

impl Shape for Leaf {
    fn area(&self, n: u64) -> u64 {
        some(n);
        n
    }
}

impl Shape for Nested {
    fn area(&self, n: u64) -> u64 {
        self.0.area(n + 1) + 1
    }
}

fn next(n: &mut u64) -> u64 {
    *n = n.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *n >> 33
}

fn sorts(seed: u64) -> usize {
    let mut n = seed;
    let mut v: Vec<u64> = (0..600).map(|_| next(&mut n)).collect();
    v.sort_by(|a, b| {
        some(a ^ b | 1 << 40 | ((a ^ b) % 90));
        a.cmp(b)
    });
    let mut m = HashMap::new();
    let mut t = BTreeMap::new();
    for x in &v {
        *m.entry(x % 100).or_insert(0u64) += x;
        t.insert(format!("{x:>12}"), *x);
    }
    m.len() + t.range("5".to_string()..).count()
}

fn shapes(seed: u64) -> u64 {
    let mut shape: Box<dyn Shape> = Box::new(Leaf);
    for _ in 0..seed % 25 {
        shape = Box::new(Nested(shape));
    }
    (0..20).map(|i| shape.area(seed + i)).sum()
}

fn panics(seed: u64) -> bool {
    panic::catch_unwind(|| {
        let v: Vec<u64> = vec![1, 2, 3];
        some(seed);
        v[(seed % 5) as usize]
    })
    .is_err()
}

fn main() {
    panic::set_hook(Box::new(|_| some(9)));
    let total = Arc::new(Mutex::new(0usize));
    let (tell, hear) = mpsc::sync_channel::<usize>(4);
    for kind in 0..3u64 {
        let (total, tell) = (Arc::clone(&total), tell.clone());
        thread::spawn(move || {
            let mut n = kind + 1;
            loop {
                let seed = next(&mut n);
                let made = match kind {
                    0 => sorts(seed),
                    1 => shapes(seed) as usize,
                    _ => panics(seed) as usize,
                };
                *total.lock().unwrap() += made % 7;
                some(seed);
                let _ = tell.send(made);
            }
        });
    }
    for made in hear {
        some(made as u64);
    }
}
