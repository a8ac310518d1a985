//! Large zeroed memory in huge pages where the system has them: the tables of the search are read at random, and with
//! pages of 4 KiB most of those reads also miss the processor's cache of page addresses.

use memmap2::{MmapMut, MmapRaw};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

/// Smallest size that huge pages are asked for, bytes.
const HUGE: usize = 2 << 20;

/// Types for which every pattern of bits, all zero included, is a value.
pub(crate) trait Plain {}
impl Plain for i16 {}
impl Plain for [AtomicU64; 2] {}

/// Zeroed slice of its own pages, which the system hands out as they are touched.
pub(crate) struct Memory<T> {
    pages: MmapRaw,
    len: usize,
    content: PhantomData<T>,
}

impl<T: Plain> Memory<T> {
    /// So many zeroed values, or nothing if memory is short.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>())?.max(1);
        let pages = MmapMut::map_anon(bytes).ok()?;
        #[cfg(target_os = "linux")]
        if bytes >= HUGE {
            // Without huge pages everything works as well, only slower.
            pages.advise(memmap2::Advice::HugePage).ok();
        }
        Some(Self {
            pages: pages.into(),
            len,
            content: PhantomData,
        })
    }
}

impl<T: Plain> Deref for Memory<T> {
    type Target = [T];

    #[inline(always)]
    #[expect(unsafe_code, reason = "a mapping knows bytes only")]
    fn deref(&self) -> &[T] {
        let start = self.pages.as_mut_ptr().cast::<T>();
        // SAFETY: pages are aligned for every type, hold `len` values and live as long as `self`; every pattern of
        // bits is a value of `T`; while this borrow lasts, writes happen only inside of what allows shared writing.
        unsafe { std::slice::from_raw_parts(start, self.len) }
    }
}

impl<T: Plain> DerefMut for Memory<T> {
    #[inline(always)]
    #[expect(unsafe_code, reason = "a mapping knows bytes only")]
    fn deref_mut(&mut self) -> &mut [T] {
        let start = self.pages.as_mut_ptr().cast::<T>();
        // SAFETY: as in `deref`, and `&mut self` makes the borrow the only one.
        unsafe { std::slice::from_raw_parts_mut(start, self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_and_keeps_what_is_written() {
        let mut memory = Memory::<i16>::zeroed(3 << 20).unwrap();
        assert_eq!(memory.len(), 3 << 20);
        assert!(memory.iter().all(|&value| value == 0));
        memory[(3 << 20) - 1] = -7;
        assert_eq!(memory[(3 << 20) - 1], -7);
        assert_eq!(Memory::<i16>::zeroed(0).unwrap().len(), 0);
    }

    #[test]
    fn more_than_the_machine_has_is_refused() {
        assert!(Memory::<i16>::zeroed(usize::MAX / 4).is_none());
        assert!(Memory::<i16>::zeroed(usize::MAX).is_none());
    }
}
