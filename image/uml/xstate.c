/*
 * Preloaded into the user-mode kernel: corrects how it uses ptrace(2), with which it runs its guest.
 *
 * A guest process is a traced host process. If its kernel is killed, the host lets it go on untraced: its next
 * system calls, meant for the guest's kernel, reach the host's, as root. With EXITKILL it dies with its kernel.
 *
 * The rest lets it run on processors with large register files (AMX). Kernel 6.12 keeps 2696 bytes of a process's extended registers and gives those back with
 * PTRACE_SETREGSET; a host that has more accepts only the whole (EFAULT), so init dies at once.
 * Here the rest, which no guest process can have used (AMX needs a permission that the user-mode
 * kernel never asks for), is filled from what the process already has.
 * Compiled with tcc, without headers.
 */

struct iovec {
	char *base;
	unsigned long length;
};

enum { OLDSETOPTIONS = 21, SETOPTIONS = 0x4200, EXITKILL = 1 << 20 };
enum { SYS_PTRACE = 101, GETREGSET = 0x4204, SETREGSET = 0x4205, XSTATE = 0x202, MAX_STATE = 65536 };

extern long syscall(long number, ...);

static char whole[MAX_STATE];
static unsigned long whole_length;

static long set_whole(long process, struct iovec *given)
{
	struct iovec state = { whole, sizeof(whole) };
	unsigned long i;

	if (whole_length == 0) {
		if (syscall(SYS_PTRACE, GETREGSET, process, XSTATE, &state) != 0)
			return -1;
		whole_length = state.length;
	}
	for (i = 0; i < given->length / sizeof(long); i++)
		((long *)whole)[i] = ((long *)given->base)[i];
	state.length = whole_length;
	return syscall(SYS_PTRACE, SETREGSET, process, XSTATE, &state);
}

long ptrace(long request, long process, long address, void *data)
{
	long word, result;

	if (request >= 1 && request <= 3) { /* the peeks: libc answers with the word itself */
		result = syscall(SYS_PTRACE, request, process, address, &word);
		return result < 0 ? result : word;
	}
	if (request == SETOPTIONS || request == OLDSETOPTIONS)
		data = (void *)((long)data | EXITKILL);
	if (request == SETREGSET && address == XSTATE && whole_length != 0)
		return set_whole(process, data);
	result = syscall(SYS_PTRACE, request, process, address, data);
	if (result < 0 && request == SETREGSET && address == XSTATE)
		return set_whole(process, data);
	return result;
}
