/**
 * Client for the conformance suite when a core runs in the test's own process: passes the server's URL and the suite's
 * data to that core, and exits with its outcome.
 */
import process from 'node:process';
import { cameThrough } from './sign-in-facts.ts';

const [door = '', server = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: told = '{}' } = process.env;
const response = await fetch(door, { method: 'POST', body: JSON.stringify({ scenario, url: server, told }) });
process.exitCode = response.ok ? 0 : 1;
console.error(response.ok ? cameThrough : await response.text());
