/** Requests about registries and their servers. */
import type { RegistryService } from '../../core/registry/registry-service.ts';
import type { RegistryServer } from '../../core/registry/registry-server.ts';
import type { RegistryMethods, RegistryRow } from '../contract.ts';
import type { Handlers } from '../deps.ts';

const defaultLimit = 30;

export type RegistryHandlers = {
  readonly [M in keyof RegistryMethods]: (
    input: RegistryMethods[M]['input'],
    signal: AbortSignal,
  ) => Promise<RegistryMethods[M]['output']>;
};

/** The same for a running core and for a command without one. */
export function createRegistryHandlers(service: RegistryService): RegistryHandlers {
  const { registries } = service;
  return {
    registries: () => Promise.resolve({ registries: registries.list() }),
    registrySearch: async ({ limit = defaultLimit, ...question }, signal) => {
      const { servers, ...page } = await registries.search({ ...question, limit }, signal);
      return { ...page, servers: servers.map(toRow) };
    },
    registryServer: async ({ registry, server: name, version }, signal) => {
      const found = await registries.find(registry, name, version, signal);
      return { registry: found.registry, server: toRow(found.server), name: service.nameFor(found.server.name) };
    },
    registryPreview: (choice, signal) => service.preview(choice, signal),
    registryTest: (choice, signal) => service.probe(choice, signal),
    registryAdd: ({ name, untested = false, ...choice }, signal) => service.add(choice, name, untested, signal),
  };
}

export const registryHandlers = {
  registries: (input, { servers }, signal) =>
    createRegistryHandlers(servers.registries.service).registries(input, signal),
  registrySearch: (input, { servers }, signal) =>
    createRegistryHandlers(servers.registries.service).registrySearch(input, signal),
  registryServer: (input, { servers }, signal) =>
    createRegistryHandlers(servers.registries.service).registryServer(input, signal),
  registryPreview: (input, { servers }, signal) =>
    createRegistryHandlers(servers.registries.service).registryPreview(input, signal),
  registryTest: (input, { servers }, signal) =>
    createRegistryHandlers(servers.registries.service).registryTest(input, signal),
  registryAdd: (input, { servers }, signal) =>
    createRegistryHandlers(servers.registries.service).registryAdd(input, signal),
} satisfies Handlers;

/** Omits the build plan of an entry. */
function toRow({ options, ...server }: RegistryServer): RegistryRow {
  return { ...server, options: options.map(({ plan: _plan, ...option }) => option) };
}
