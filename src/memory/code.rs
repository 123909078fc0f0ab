//! The program's own code: what ran once need not stay in memory.

use std::ffi::{c_int, c_void};

/// Gives back what was read of the program's file and cannot have changed: its code and constants. What is
/// used again is found in the system's cache, some pages at a time, within a fraction of a millisecond.
/// Most of it is what runs at the start alone. A breakpoint that a debugger has set is lost with it.
pub fn forget() {
    // SAFETY: the callback is called before this returns.
    unsafe {
        libc::dl_iterate_phdr(Some(forget_object), std::ptr::null_mut());
    }
}

/// Of the first object, which is the program; the libraries are others' as well.
unsafe extern "C" fn forget_object(
    object: *mut libc::dl_phdr_info,
    _: usize,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the loader gives a valid object, and the number of its headers.
    let (base, headers) = unsafe {
        let object = &*object;
        let count = usize::from(object.dlpi_phnum);
        let headers = std::slice::from_raw_parts(object.dlpi_phdr, count);
        (object.dlpi_addr, headers)
    };
    for header in headers {
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0 {
            forget_pages(base + header.p_vaddr, header.p_memsz);
        }
    }
    // Not the next one.
    1
}

/// The whole pages of a part of a file that is mapped and cannot be written.
fn forget_pages(from: u64, len: u64) {
    // SAFETY: asks for a number.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let (start, end) = (from.next_multiple_of(page), (from + len) / page * page);
    let (Ok(start), Ok(len)) = (
        usize::try_from(start),
        usize::try_from(end.saturating_sub(start)),
    ) else {
        return;
    };
    // SAFETY: the pages are those of a file, unchanged, and come back from it when they are used. It fails
    // by doing nothing.
    unsafe {
        libc::madvise(
            std::ptr::without_provenance_mut(start),
            len,
            libc::MADV_DONTNEED,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kilobytes in memory of this program's code.
    fn code_in_memory() -> u64 {
        let program = std::env::current_exe().expect("a program");
        let program = program.to_string_lossy();
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells");
        let (mut ours, mut all) = (false, 0);
        for line in maps.lines() {
            if line.contains(" r-xp ") {
                ours = line.ends_with(&*program);
            } else if let Some(size) = line.strip_prefix("Rss:").filter(|_| ours) {
                let size = size.trim().trim_end_matches(" kB");
                all += size.parse::<u64>().expect("a number");
                ours = false;
            }
        }
        all
    }

    #[test]
    fn code_that_ran_once_leaves_memory_and_comes_back_when_it_runs() {
        // Some of it is in use, here and in other tests.
        let before = code_in_memory();
        assert!(before > 0, "it runs");
        forget();
        let after = code_in_memory();
        assert!(after < before, "{after} of {before} kB");
    }
}
