/**
 * `npm run image [-- --output FILE]`: an OCI image of a replica, made of files without a daemon and without another
 * image: Node.js, the libraries it loads, certificates, dist/. No shell and no package manager is in it, so nothing
 * that a server brings can run next to the database's keys; for runners there is docs/team/Dockerfile. Linux with
 * `buildah` only.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Who it runs as: nobody that the host knows. */
const user = 65_532;
/** What `node` opens while it runs: names are looked up through these. */
const alsoLoaded = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];
const certificates = '/etc/ssl/certs/ca-certificates.crt';

try {
  const { values } = parseArgs({ options: { output: { type: 'string', default: 'release/tooltray-team.oci.tar' } } });
  build(resolve(root, values.output));
} catch (error) {
  console.error(`image: ${error.message}`);
  process.exitCode = 1;
}

function build(output) {
  if (process.platform !== 'linux' || spawnSync('buildah', ['--version']).status !== 0)
    throw new Error('This needs Linux and buildah (Debian: apt install buildah). Elsewhere use docs/team/Dockerfile.');
  const container = buildah('from', 'scratch');
  try {
    fill(buildah('mount', container));
    buildah('unmount', container);
    buildah(
      'config',
      ...['--user', `${user}:${user}`, '--workingdir', '/data', '--env', 'TOOLTRAY_HOME=/data', '--env', 'TERM=dumb'],
      ...['--env', `NODE_EXTRA_CA_CERTS=${certificates}`, '--port', '8080', '--volume', '/data'],
      ...['--entrypoint', JSON.stringify(['/bin/node', '/app/dist/cli.js'])],
      ...['--cmd', 'team serve --listen 0.0.0.0:8080'],
      ...['--label', `org.opencontainers.image.version=${version}`],
      ...['--label', `org.opencontainers.image.licenses=${license}`],
      ...['--label', 'org.opencontainers.image.title=Tooltray'],
      container,
    );
    mkdirSync(dirname(output), { recursive: true });
    buildah('commit', '--quiet', container, `oci-archive:${output}:tooltray-team:${version}`);
    console.log(`${output}\nTry it: podman load -i ${output}`);
  } finally {
    buildah('rm', container);
  }
}

function fill(image) {
  const put = (from, to) => {
    mkdirSync(dirname(join(image, to)), { recursive: true });
    cpSync(from, join(image, to), { recursive: true, dereference: true });
  };
  const node = realpathSync(join(root, 'node_modules/node/bin/node'));
  put(node, '/bin/node');
  for (const [name, place] of librariesOf(node)) put(place, name);
  if (existsSync(certificates)) put(certificates, certificates);
  put(join(root, 'package.json'), '/app/package.json');
  cpSync(join(root, 'dist'), join(image, 'app/dist'), {
    recursive: true,
    filter: (from) => !/\.map$|\.sources$/.test(from),
  });
  put(join(root, 'LICENSE'), '/app/LICENSE');
  write(image, '/etc/passwd', `tooltray:x:${user}:${user}::/data:/sbin/nologin\n`);
  write(image, '/etc/group', `tooltray:x:${user}:\n`);
  write(image, '/etc/nsswitch.conf', 'hosts: files dns\n');
  for (const [folder, mode] of [
    ['/data', 0o700],
    ['/tmp', 0o1777],
  ]) {
    mkdirSync(join(image, folder), { recursive: true });
    execFileSync('chmod', [mode.toString(8), join(image, folder)]);
  }
  execFileSync('chown', [`${user}:${user}`, join(image, 'data')]);
}

/** Where each is looked for in the image, and where it lies here. */
function librariesOf(program) {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  const found = [...listed.matchAll(/(?:(\S+) => )?(\/\S+) \(0x/g)].map(([, name, place]) => [name ?? place, place]);
  const folder = dirname(found.find(([name]) => name === 'libc.so.6')[1]);
  const late = alsoLoaded.map((name) => [name, join(folder, name)]).filter(([, place]) => existsSync(place));
  return [...found, ...late].map(([name, place]) => [name.startsWith('/') ? name : join(folder, name), place]);
}

function write(image, path, text) {
  mkdirSync(dirname(join(image, path)), { recursive: true });
  writeFileSync(join(image, path), text);
}

function buildah(...args) {
  return execFileSync('buildah', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
