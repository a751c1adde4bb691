/**
 * electron-builder's hook after an app folder is packed: refuses a package whose native parts are of another
 * architecture.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Source: electron-builder, `Arch` (builder-util). */
const archNames = ['ia32', 'x64', 'armv7l', 'arm64', 'universal'];

/** @param {import('electron-builder').AfterPackContext} context */
export default async function afterPack({ appOutDir, arch, electronPlatformName, packager }) {
  const missing = missingKeychain(resourcesOf(appOutDir, electronPlatformName, packager.appInfo.productFilename), {
    platform: electronPlatformName,
    arch: archNames[arch],
  });
  if (missing.length > 0) {
    throw new Error(
      `The keychain binding ${missing.join(', ')} is not in the package. Install it (npm install --cpu=${archNames[arch]} --os=${electronPlatformName} --no-save), build, and pack again.`,
    );
  }
}

/** Names of the bindings that a package of this system and architecture needs and does not have. */
export function missingKeychain(resources, { platform, arch }) {
  const folder = join(resources, 'app.asar.unpacked', 'dist', 'keychain');
  return bindings(platform, arch).filter((name) => !existsSync(join(folder, name)));
}

/** Source: the optional dependencies of @napi-rs/keyring. */
function bindings(platform, arch) {
  const abi = { linux: '-gnu', win32: '-msvc' }[platform] ?? '';
  const architectures = arch === 'universal' ? ['x64', 'arm64'] : [arch];
  return architectures.map((one) => `keyring.${platform}-${one}${abi}.node`);
}

function resourcesOf(appOutDir, platform, productName) {
  return platform === 'darwin'
    ? join(appOutDir, `${productName}.app`, 'Contents', 'Resources')
    : join(appOutDir, 'resources');
}
