//! Transposition table shared by all threads of a session, without locks.
//!
//! A bucket is one cache line of four entries; an entry is two words: its data, and its key xor its data. A torn
//! entry (two threads wrote it at once) fails the key test and counts as missing.

use super::memory::Memory;
use crate::rules::Move;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

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
/// Depth of a mate that was proven, not searched.
pub(crate) const PROVEN: i32 = super::score::MAX_PLY as i32;
/// Added to a depth so that it is stored as an unsigned byte; 0 marks an unused entry.
const DEPTH_SHIFT: i32 = 9;
const AGES: u8 = 32;
/// Slots of a bucket, which fill one cache line.
const SLOTS: usize = 4;
/// Bytes of a bucket.
const BUCKET: usize = SLOTS * size_of::<Slot>();

/// Place of one entry: its key xor its data, and its data.
type Slot = [AtomicU64; 2];

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

/// Shared table.
pub(crate) struct Table {
    /// Slots of all buckets.
    slots: Memory<Slot>,
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
        Self::with_buckets(mib.clamp(1, Self::MAX_MIB) * (1 << 20) / BUCKET)
    }

    /// Smallest table, where one is needed but not used.
    pub(crate) fn tiny() -> Arc<Self> {
        static TINY: OnceLock<Arc<Table>> = OnceLock::new();
        Arc::clone(TINY.get_or_init(|| Arc::new(Self::with_buckets(1))))
    }

    fn with_buckets(mut count: usize) -> Self {
        loop {
            if let Some(slots) = Memory::zeroed(count * SLOTS) {
                return Self {
                    slots,
                    count,
                    age: AtomicU8::new(0),
                };
            }
            assert!(count > 1, "a page of memory is left");
            count /= 2;
        }
    }

    /// Size in MiB that was really allocated (0 if below one).
    pub(crate) const fn mib(&self) -> usize {
        (self.count * BUCKET) >> 20
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        for slot in self.slots.iter_mut() {
            *slot = Slot::default();
        }
        *self.age.get_mut() = 0;
    }

    /// Starts a new search: what is there now may be replaced first.
    pub(crate) fn new_search(&self) {
        self.age
            .store(self.age.load(Relaxed).wrapping_add(1) & (AGES - 1), Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[Slot] {
        let index = (u128::from(key) * self.count as u128) >> 64;
        &self.slots[index as usize * SLOTS..][..SLOTS]
    }

    /// Asks the processor to fetch the line of `key`, which is needed soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let line = self.bucket(key).as_ptr().cast::<i8>();
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
        for slot in self.bucket(key) {
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
        for (index, slot) in self.bucket(key).iter().enumerate() {
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
        let slot = &self.bucket(key)[worst];
        slot[0].store(key ^ data, Relaxed);
        slot[1].store(data, Relaxed);
    }

    /// Entries of the current search, per mille, from a sample.
    pub(crate) fn per_mille(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.count.min(250);
        let used = self.slots[..sample * SLOTS]
            .iter()
            .filter(|slot| {
                let data = slot[1].load(Relaxed);
                data != 0 && (data >> 59) as u8 == age
            })
            .count();
        (used * 1000 / (sample * SLOTS).max(1)) as u32
    }
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
        let slot = &table.bucket(5)[0];
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
        for table in [
            Table::tiny(),
            Arc::new(Table::new(1)),
            Arc::new(Table::new(5)),
        ] {
            assert_eq!(
                table.slots.as_ptr() as usize % BUCKET,
                0,
                "one cache line each"
            );
        }
        assert_eq!(Table::new(0).mib(), 1);
        assert_eq!(Table::new(3).mib(), 3);
    }
}
