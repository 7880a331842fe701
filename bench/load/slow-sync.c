/* Makes each fsync and fdatasync of a process return 5 ms later, as on a disk in a cloud (LD_PRELOAD). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <time.h>

static int slow(const char *name, int descriptor) {
  int (*call)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = call(descriptor);
  int error = errno;
  struct timespec delay = {0, 5000000};
  while (nanosleep(&delay, &delay) != 0) {
  }
  errno = error;
  return result;
}

int fsync(int descriptor) { return slow("fsync", descriptor); }
int fdatasync(int descriptor) { return slow("fdatasync", descriptor); }
