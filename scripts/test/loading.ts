/** Setup file of vitest, which runs it again for each test file; the imported module runs once per process. */
import './load-hooks.ts';
