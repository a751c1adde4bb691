/** A process of the facts: says that it runs. */
import process from 'node:process';

process.send('runs', () => process.disconnect());
