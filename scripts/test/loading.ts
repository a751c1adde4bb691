/** Set-up file of vitest, which it runs again for each file of tests; what stands behind it, once in a process. */
import './load-hooks.ts';
