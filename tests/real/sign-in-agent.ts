/**
 * What the conformance suite starts as a client where a core runs in the test's own process: hands that one the address of the server and
 * what the suite tells its client, and ends as that one says.
 */
import process from 'node:process';
import { cameThrough } from './sign-in-facts.ts';

const [door = '', server = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: told = '{}' } = process.env;
const response = await fetch(door, { method: 'POST', body: JSON.stringify({ scenario, url: server, told }) });
process.exitCode = response.ok ? 0 : 1;
console.error(response.ok ? cameThrough : await response.text());
