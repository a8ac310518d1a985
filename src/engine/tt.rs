//! Transposition table shared by all threads of a session, without locks.
//!
//! A bucket is one cache line of four entries; an entry is two words: its data, and its key xor its data. A torn
//! entry (two threads wrote it at once) fails the key test and counts as missing.

use crate::rules::Move;
use std::alloc::{Layout, alloc_zeroed};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// How the value of an entry bounds the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    /// No value, only a move or an evaluation.
    None = 0,
    /// True value at most this.
    Upper = 1,
    /// True value at least this.
    Lower = 2,
    /// True value.
    Exact = 3,
}

impl Kind {
    const fn of_bits(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// Whether `value` with this bound proves a result of at least (`high`) or below `beta`.
    #[inline(always)]
    pub(crate) const fn cuts(self, high: bool) -> bool {
        self as u8
            & if high {
                Self::Lower as u8
            } else {
                Self::Upper as u8
            }
            != 0
    }
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Best or refuting move, [`Move::NONE`] if unknown. May be illegal: keys can collide.
    pub(crate) mv: Move,
    /// Value, mates counted from this position.
    pub(crate) value: i32,
    /// Static evaluation, [`NO_EVAL`] if the side to move is in check.
    pub(crate) eval: i32,
    /// Depth of the search, 0 or below for quiescence; at least -8.
    pub(crate) depth: i32,
    /// Meaning of `value`.
    pub(crate) kind: Kind,
    /// Whether the position was part of an expected line.
    pub(crate) pv: bool,
}

/// Stands for "no evaluation".
pub(crate) const NO_EVAL: i32 = -32_768;
/// Added to a depth so that it is stored as an unsigned byte; 0 marks an unused entry.
const DEPTH_SHIFT: i32 = 9;
const AGES: u8 = 32;
const SLOTS: usize = 4;

impl Entry {
    /// Bits 0-15 move, 16-31 value, 32-47 evaluation, 48-55 depth + 9, 56-57 kind, 58 pv, 59-63 age.
    fn pack(self, age: u8) -> u64 {
        u64::from(self.mv.to_bits())
            | u64::from(self.value as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | ((self.depth + DEPTH_SHIFT).clamp(1, 255) as u64) << 48
            | (self.kind as u64) << 56
            | u64::from(self.pv) << 58
            | u64::from(age & (AGES - 1)) << 59
    }

    fn unpack(data: u64) -> Self {
        Self {
            mv: Move::from_bits(data as u16),
            value: i32::from((data >> 16) as i16),
            eval: i32::from((data >> 32) as i16),
            depth: stored_depth(data) - DEPTH_SHIFT,
            kind: Kind::of_bits(data >> 56),
            pv: data >> 58 & 1 != 0,
        }
    }
}

const fn stored_depth(data: u64) -> i32 {
    (data >> 48 & 0xff) as i32
}

#[derive(Debug)]
#[repr(C, align(64))]
struct Bucket([[AtomicU64; 2]; SLOTS]);

/// Words of a bucket.
const WORDS: usize = size_of::<Bucket>() / size_of::<u64>();

/// Shared table.
pub(crate) struct Table {
    /// Words of the buckets, with room to begin the first one at a multiple of 64 bytes.
    memory: Box<[AtomicU64]>,
    /// Word at which the first bucket begins.
    first: usize,
    /// Number of buckets, at least 1.
    count: usize,
    age: AtomicU8,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("buckets", &self.count)
            .finish_non_exhaustive()
    }
}

impl Table {
    /// Most MiB of a table.
    pub(crate) const MAX_MIB: usize = 65_536;

    /// Empty table of `mib` MiB (1 to 65536), or of the largest half, quarter, ... of it that memory allows.
    pub(crate) fn new(mib: usize) -> Self {
        let mut count = mib.clamp(1, Self::MAX_MIB) * (1 << 20) / size_of::<Bucket>();
        loop {
            if let Some(memory) = zeroed(count * WORDS + WORDS - 1) {
                return Self::within(memory);
            }
            count /= 2;
        }
    }

    /// Smallest table, where one is needed but not used.
    pub(crate) fn tiny() -> Self {
        Self::within((0..2 * WORDS - 1).map(|_| AtomicU64::new(0)).collect())
    }

    /// Table in zeroed memory of at least `2 * WORDS - 1` words.
    fn within(memory: Box<[AtomicU64]>) -> Self {
        let address = memory.as_ptr() as usize;
        let first = (address.next_multiple_of(align_of::<Bucket>()) - address) / size_of::<u64>();
        let count = (memory.len() - first) / WORDS;
        Self {
            memory,
            first,
            count,
            age: AtomicU8::new(0),
        }
    }

    /// All buckets.
    #[inline(always)]
    fn buckets(&self) -> &[Bucket] {
        let words = self.memory[self.first..].as_ptr();
        #[expect(
            unsafe_code,
            clippy::cast_ptr_alignment,
            reason = "`first` makes up for the alignment that the allocation lacks"
        )]
        // SAFETY: from word `first` on, which lies at a multiple of 64 bytes, the memory holds `count` times the words
        // of a bucket, which is nothing but those words.
        unsafe {
            std::slice::from_raw_parts(words.cast::<Bucket>(), self.count)
        }
    }

    /// Size in MiB that was really allocated (0 if below one).
    pub(crate) const fn mib(&self) -> usize {
        (self.count * size_of::<Bucket>()) >> 20
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        for word in &mut self.memory {
            *word.get_mut() = 0;
        }
        *self.age.get_mut() = 0;
    }

    /// Starts a new search: what is there now may be replaced first.
    pub(crate) fn new_search(&self) {
        self.age
            .store(self.age.load(Relaxed).wrapping_add(1) & (AGES - 1), Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.count as u128) >> 64;
        &self.buckets()[index as usize]
    }

    /// Asks the processor to fetch the line of `key`, which is needed soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let line = std::ptr::from_ref(self.bucket(key)).cast::<i8>();
            #[expect(unsafe_code, reason = "there is no safe prefetch")]
            // SAFETY: prefetching reads nothing and cannot fault; the address is a valid reference.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(line);
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known of the position of `key`.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        for slot in &self.bucket(key).0 {
            let data = slot[1].load(Relaxed);
            if slot[0].load(Relaxed) ^ data == key && data != 0 {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Stores `entry`, in place of what is known of the same position or of the least useful of four.
    pub(crate) fn store(&self, key: u64, mut entry: Entry) {
        let age = self.age.load(Relaxed);
        let mut worst = 0;
        let mut worst_worth = i32::MAX;
        for (index, slot) in self.bucket(key).0.iter().enumerate() {
            let data = slot[1].load(Relaxed);
            if data == 0 {
                if worst_worth > i32::MIN {
                    worst = index;
                    worst_worth = i32::MIN;
                }
                continue;
            }
            let old_age = (data >> 59) as u8;
            if slot[0].load(Relaxed) ^ data == key {
                let old = Entry::unpack(data);
                if entry.mv.is_none() {
                    entry.mv = old.mv;
                }
                // A much shallower bound must not push out a deep one of this search.
                if entry.kind != Kind::Exact && entry.depth + 4 < old.depth && old_age == age {
                    return;
                }
                worst = index;
                break;
            }
            let passed = i32::from(age.wrapping_sub(old_age) & (AGES - 1));
            let worth = stored_depth(data) - 4 * passed;
            if worth < worst_worth {
                worst = index;
                worst_worth = worth;
            }
        }
        let data = entry.pack(age);
        let slot = &self.bucket(key).0[worst];
        slot[0].store(key ^ data, Relaxed);
        slot[1].store(data, Relaxed);
    }

    /// Entries of the current search, per mille, from a sample.
    pub(crate) fn per_mille(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.count.min(250);
        let used = self.buckets()[..sample]
            .iter()
            .flat_map(|bucket| &bucket.0)
            .filter(|slot| {
                let data = slot[1].load(Relaxed);
                data != 0 && (data >> 59) as u8 == age
            })
            .count();
        (used * 1000 / (sample * SLOTS).max(1)) as u32
    }
}

/// Zeroed words that the system hands out lazily, or nothing if memory is short.
///
/// The layout asks for the alignment of a word only: for more than the allocator gives by itself, std clears the
/// memory by hand, which takes seconds for gigabytes and claims all of them.
#[expect(
    unsafe_code,
    clippy::cast_ptr_alignment,
    reason = "no safe call allocates zeroed memory and reports failure"
)]
fn zeroed(count: usize) -> Option<Box<[AtomicU64]>> {
    let layout = Layout::array::<AtomicU64>(count.max(1)).ok()?;
    // SAFETY: `layout` has a size above zero.
    let memory = unsafe { alloc_zeroed(layout) }.cast::<AtomicU64>();
    if memory.is_null() {
        assert!(count > 2 * WORDS, "a kilobyte of memory is left");
        return None;
    }
    let slice = std::ptr::slice_from_raw_parts_mut(memory, count.max(1));
    // SAFETY: the memory comes from the global allocator with the layout of this slice, is owned by nobody else, and
    // all bits zero are valid atomics.
    Some(unsafe { Box::from_raw(slice) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32) -> Entry {
        Entry {
            mv: Move::from_bits(0x3_1c2),
            value: -345,
            eval: 17,
            depth,
            kind: Kind::Lower,
            pv: true,
        }
    }

    #[test]
    fn what_was_stored_is_found_again() {
        let table = Table::new(1);
        for (key, depth, value) in [
            (1, 0, 31_990),
            (u64::MAX, 40, -31_990),
            (0, -5, 0),
            (77 << 32, 120, -1),
        ] {
            let stored = Entry {
                value,
                ..entry(depth)
            };
            table.store(key, stored);
            assert_eq!(table.probe(key), Some(stored));
        }
        assert_eq!(table.probe(2), None);
        assert_eq!(table.mib(), 1);
    }

    #[test]
    fn an_absent_evaluation_and_a_lost_move_are_kept_apart() {
        let table = Table::new(1);
        table.store(
            9,
            Entry {
                eval: NO_EVAL,
                ..entry(3)
            },
        );
        table.store(
            9,
            Entry {
                mv: Move::NONE,
                kind: Kind::Exact,
                eval: NO_EVAL,
                ..entry(5)
            },
        );
        let found = table.probe(9).unwrap();
        assert_eq!((found.eval, found.depth), (NO_EVAL, 5));
        assert_eq!(
            found.mv,
            entry(0).mv,
            "the known move survives a result without one"
        );
    }

    #[test]
    fn a_torn_entry_counts_as_missing() {
        let table = Table::new(1);
        table.store(5, entry(7));
        let slot = &table.bucket(5).0[0];
        slot[1].fetch_xor(1 << 20, Relaxed);
        assert_eq!(table.probe(5), None);
    }

    #[test]
    fn old_and_shallow_entries_are_replaced_first() {
        let table = Table::new(1);
        // Keys this close share a bucket.
        for key in 0..4 {
            table.store(key, entry(10 + key as i32));
        }
        table.store(4, entry(3));
        assert_eq!(table.probe(0), None, "the shallowest of four made room");
        for _ in 0..4 {
            table.new_search();
        }
        table.store(5, entry(1));
        assert_eq!(table.probe(4), None);
        assert!(table.probe(3).is_some());
        assert!(table.per_mille() > 0);
    }

    #[test]
    fn a_cleared_table_knows_nothing() {
        let mut table = Table::new(1);
        let entry = Entry {
            mv: Move::NONE,
            value: 1,
            eval: 2,
            depth: 3,
            kind: Kind::Exact,
            pv: false,
        };
        for key in [0, u64::MAX / 2, u64::MAX] {
            table.store(key, entry);
            assert!(table.probe(key).is_some());
        }
        table.clear();
        for key in [0, u64::MAX / 2, u64::MAX] {
            assert_eq!(table.probe(key), None);
        }
    }

    #[test]
    fn sizes_out_of_range_are_brought_into_it() {
        for table in [Table::tiny(), Table::new(1), Table::new(5)] {
            assert_eq!(table.buckets().as_ptr() as usize % 64, 0);
        }
        assert_eq!(Table::new(0).mib(), 1);
        assert_eq!(Table::new(3).mib(), 3);
    }
}
