/* Preloaded into a user-mode Linux kernel on processors whose register state is larger than it knows.
 *
 * UML 6.12 saves 2696 bytes of extended state per process. Linux accepts PTRACE_SETREGSET only with the
 * whole state (EFAULT otherwise), which is larger where the processor has AMX tiles. The registers a UML
 * guest can use all lie in its 2696 bytes; the rest is in its initial state, which is zeroes. So: pad.
 * Written without libc headers, so that it loads into any libc.
 */
#define NT_X86_XSTATE 0x202
#define PTRACE_PEEKTEXT 1
#define PTRACE_PEEKUSER 3
#define PTRACE_GETREGSET 0x4204
#define PTRACE_SETREGSET 0x4205
#define SYS_ptrace 101L

struct span {
	void *base;
	unsigned long length;
};

extern int *__errno_location(void);

static unsigned char padded[65536] __attribute__((aligned(64)));
static unsigned long whole_length;

static long kernel_ptrace(long request, long pid, long address, long data)
{
	register long fourth __asm__("r10") = data;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_ptrace), "D"(request), "S"(pid), "d"(address), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

static long learn_whole_length(long pid)
{
	static unsigned char scratch[sizeof padded] __attribute__((aligned(64)));
	struct span all = {scratch, sizeof scratch};
	long result = kernel_ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, (long)&all);

	if (result == 0)
		whole_length = all.length;
	return result;
}

static long set_extended_state(long pid, struct span *given)
{
	struct span all = {padded, 0};

	if (whole_length == 0) {
		long result = learn_whole_length(pid);

		if (result < 0)
			return result;
	}
	if (given->length >= whole_length)
		return kernel_ptrace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, (long)given);
	__builtin_memcpy(padded, given->base, given->length);
	all.length = whole_length;
	return kernel_ptrace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, (long)&all);
}

/* As in libc: PEEK requests return the word, everything else 0, errors as -1 and errno. */
long ptrace(int request, long pid, long address, long data)
{
	int peeks = request >= PTRACE_PEEKTEXT && request <= PTRACE_PEEKUSER;
	long word = 0;
	long result;

	if (request == PTRACE_SETREGSET && address == NT_X86_XSTATE)
		result = set_extended_state(pid, (struct span *)data);
	else
		result = kernel_ptrace(request, pid, address, peeks ? (long)&word : data);
	if (result < 0) {
		*__errno_location() = (int)-result;
		return -1;
	}
	if (!peeks)
		return result;
	*__errno_location() = 0;
	return word;
}
