/** Acquires and releases a lock until it is killed. Takes the lock file as its argument. */
import { LockFile } from '../../../src-main/core/base/file-lock.ts';

for (;;) {
  using lock = new LockFile(process.argv[2] ?? '', 10_000);
  lock.tryAcquire();
}
