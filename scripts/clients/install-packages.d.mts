/** Types of install-packages.mjs, which is plain JavaScript like everything that sets up. */
export const packagesFolder: string;
export function installPackages(what?: { all?: boolean }): Promise<void>;
