#!/bin/sh
# The first process of a Linux in user mode, whose files are those of this machine: mounts what it needs, runs
# the tests of this directory, and ends the machine. in-linux.ts starts it.
[ $$ = 1 ] || exit 1
mount -t proc proc /proc
grep -q "User Mode Linux" /proc/cpuinfo || exit 1
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /mnt
/bin/busybox ifconfig lo up
echo "+cpu +memory +pids" >/sys/fs/cgroup/cgroup.subtree_control
export PATH="$FOREBAY_PATH" TMPDIR=/mnt HOME=/mnt NO_COLOR=1
cd "$FOREBAY_ROOT" || exit 1
{
  "$FOREBAY_BUN" test --isolate --timeout=180000 ./test/process-limits
  echo "tests ended with $?"
} 2>&1 | cat
/bin/busybox poweroff -f
