/**
 * Fetches the URL in argv with an HttpFetch and its own network settings, in a separate process, because trust is per
 * process. Prints the response.
 */
import { HttpFetch } from '../../../../src-main/core/servers/network/http-fetch.ts';
import { OutboundNetwork } from '../../../../src-main/core/servers/network/outbound-network.ts';

const [url = '', extraCaFile, proxy] = process.argv.slice(2);
const problems: string[] = [];
const network = new OutboundNetwork({
  env: {},
  loginEnv: () => Promise.resolve({}),
  resolveProxy: () => Promise.resolve(proxy ?? 'DIRECT'),
  extraCaFile: () => (extraCaFile === '' ? undefined : extraCaFile),
  onProblem: (sentence) => problems.push(sentence),
});
const http = new HttpFetch({ env: {}, network });
const said = await http.fetch(url).then(
  async (response) => ({ text: await response.text() }),
  ({ code }: NodeJS.ErrnoException) => ({ code }),
);
http.close();
process.stdout.write(JSON.stringify({ ...said, problems }));
