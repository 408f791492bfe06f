//! Jobs on several threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Does the jobs that `next` gives on several threads, each with a worker of its own, and hands the results to `take` on the
/// calling thread as they come, until there are no more jobs, something goes wrong, or `stop` is set. A job that was
/// stopped has no result.
///
/// # Errors
/// The first that a worker, a job or `take` has.
pub fn each<W, J, T: Send, E: Send>(
    (threads, stop): (usize, &AtomicBool),
    next: impl Fn() -> Option<J> + Sync,
    worker: impl Fn() -> Result<W, E> + Sync,
    job: impl Fn(&mut W, J) -> Result<Option<T>, E> + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let halt = AtomicBool::new(false);
    let work = |send: &dyn Fn(Result<T, E>) -> bool| {
        let mut worker = match worker() {
            Ok(worker) => worker,
            Err(error) => {
                send(Err(error));
                return;
            }
        };
        while !stop.load(Ordering::Relaxed) && !halt.load(Ordering::Relaxed) {
            let Some(next) = next() else { return };
            let sent = match job(&mut worker, next) {
                Ok(Some(result)) => send(Ok(result)),
                Ok(None) => false,
                Err(error) => send(Err(error)),
            };
            if !sent {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads.max(1) {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || work(&|message| sender.send(message).is_ok()));
        }
        drop(sender);
        let result = receiver.iter().try_for_each(|message| take(message?));
        // After an error nobody listens any more, so the threads are told to end.
        halt.store(true, Ordering::Relaxed);
        result
    })
}

/// [`each`] for the jobs `first..end`, whose results come in the order of their numbers.
///
/// # Errors
/// As [`each`].
pub fn in_order<W, T: Send, E: Send>(
    (first, end): (usize, usize),
    threads_and_stop: (usize, &AtomicBool),
    worker: impl Fn() -> Result<W, E> + Sync,
    job: impl Fn(&mut W, usize) -> Result<Option<T>, E> + Sync,
    mut take: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(first);
    let (mut waiting, mut expected) = (BTreeMap::new(), first);
    each(
        threads_and_stop,
        || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < end),
        worker,
        |worker, number| Ok(job(worker, number)?.map(|result| (number, result))),
        |(number, result)| {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&expected) {
                take(expected, result)?;
                expected += 1;
            }
            Ok(())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(threads: usize, fails_at: usize) -> (Vec<usize>, Result<(), String>) {
        let mut taken = Vec::new();
        let job = |_: &mut (), number: usize| match number {
            n if n == fails_at => Err(format!("job {n}")),
            n => Ok(Some(n * n)),
        };
        let result = in_order(
            (2, 50),
            (threads, &AtomicBool::new(false)),
            || Ok(()),
            job,
            |number, square| {
                assert_eq!(number * number, square);
                taken.push(number);
                Ok(())
            },
        );
        (taken, result)
    }

    #[test]
    fn results_come_in_order_until_something_fails() {
        for threads in [1, 3] {
            assert_eq!(run(threads, 99), ((2..50).collect(), Ok(())));
            let (taken, result) = run(threads, 20);
            assert_eq!(result, Err("job 20".into()));
            assert!(taken.len() <= 18 && taken.iter().enumerate().all(|(i, &number)| number == i + 2));
        }
    }

    #[test]
    fn nothing_begins_once_it_is_stopped() {
        let job = |_: &mut (), _: usize| -> Result<Option<()>, String> { panic!("it was stopped") };
        assert_eq!(in_order((0, 5), (2, &AtomicBool::new(true)), || Ok(()), job, |_, ()| Ok(())), Ok(()));
    }
}
