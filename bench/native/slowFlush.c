/*
 * Makes every flush of a file take longer, as on a slower disk: `LD_PRELOAD=slowFlush.so` with the environment variable
 * EARSHOT_BENCH_FLUSH_MICROS. Built by bench/src/ingest/slowFlush.ts. The time is waited for, not computed, so that
 * processor time is measured as without it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static void wait_longer(void) {
  const char *text = getenv("EARSHOT_BENCH_FLUSH_MICROS");
  long micros = text == NULL ? 0 : atol(text);
  if (micros <= 0) return;
  struct timespec rest = {.tv_sec = micros / 1000000, .tv_nsec = (micros % 1000000) * 1000};
  while (nanosleep(&rest, &rest) == -1 && errno == EINTR) {
  }
}

int fsync(int file) {
  static int (*flush)(int);
  if (flush == NULL) flush = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_longer();
  return flush(file);
}

int fdatasync(int file) {
  static int (*flush)(int);
  if (flush == NULL) flush = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_longer();
  return flush(file);
}
