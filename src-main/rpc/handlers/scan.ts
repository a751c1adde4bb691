/** Scan findings in the current texts of all servers. */
import type { JsonObject } from '../../core/base/json.ts';
import { textOrEmpty } from '../../core/base/json.ts';
import { type Catalog, resolveServer } from '../../core/catalog/catalog.ts';
import type { ScanReport, ScanVerdict } from '../../core/trust/scan/scan-finding.ts';
import type { DefinitionKind } from '../../core/trust/scan/definition-texts.ts';
import type { ManagedServer } from '../../core/servers/managed-server.ts';
import { scannedAs } from '../../core/trust/pins/scan-changes.ts';
import { type CatalogFinding, scanCatalog } from '../../core/trust/scan/shadowing.ts';
import type { ScannedDefinition } from '../contract.ts';
import type { Handlers } from '../deps.ts';

const settleMs = 15_000;
/** Definitions scanned before yielding to other work. */
const turn = 50;

interface Listed {
  readonly server: string;
  readonly kind: DefinitionKind;
  readonly name: string;
  readonly definition: JsonObject;
  /** It differs from what the user accepted, and is hidden from models. */
  readonly waits: boolean;
}

export const scanHandlers = {
  scan: async ({ server }, { servers, calls, trust }) => {
    await calls.catalog.settled(settleMs);
    const { current } = calls.catalog;
    const only = server === undefined ? undefined : resolveServer(current, server);
    const said = [...listedIn(current), ...heldOf(servers.manager.all)];
    const listed = said.filter((each) => only === undefined || each.server === only);
    const others = scanCatalog(current.tools.map((tool) => ({ server: tool.server, tool: tool.definition })));
    const found: ScannedDefinition[] = [];
    for (const [at, { server: of, kind, name, definition, waits }] of listed.entries()) {
      if (at % turn === 0) await new Promise((resolve) => setImmediate(resolve));
      const report = await trust.scans.definition(definition, kind);
      const { verdict, findings } = kind === 'tool' ? withOthers(report, others, of, name) : report;
      if (verdict !== 'clean') found.push({ server: of, kind, name, waits, verdict, findings });
    }
    return { scanned: listed.length, found };
  },
} satisfies Handlers;

function listedIn({ tools, prompts, resources, resourceTemplates, instructions }: Catalog): Listed[] {
  const entry = (kind: DefinitionKind) => (each: { server: string; definition: JsonObject }) => {
    const { name, uri, uriTemplate } = each.definition;
    const label = textOrEmpty(name) || textOrEmpty(uri ?? uriTemplate);
    return { server: each.server, kind, name: label, definition: each.definition, waits: false };
  };
  return [
    ...[...instructions].map(([server, text]) => {
      return { server, kind: 'instructions' as const, name: '', definition: { instructions: text }, waits: false };
    }),
    ...tools.map(entry('tool')),
    ...prompts.map(entry('prompt')),
    ...resources.map(entry('resource')),
    ...resourceTemplates.map(entry('resourceTemplate')),
  ];
}

function heldOf(servers: readonly ManagedServer[]): Listed[] {
  return servers.flatMap(({ config, pins }) =>
    (pins?.heldChanges ?? []).flatMap(({ kind, name, after }) =>
      after === undefined ? [] : [{ server: config.name, kind: scannedAs[kind], name, definition: after, waits: true }],
    ),
  );
}

function withOthers(report: ScanReport, others: readonly CatalogFinding[], server: string, tool: string): ScanReport {
  const own = others.filter((finding) => finding.server === server && finding.tool === tool);
  if (own.length === 0) return report;
  const findings = own.map(({ rule, place, words, tier, sentence }) => ({ rule, place, words, tier, sentence }));
  const verdict: ScanVerdict = report.verdict === 'clean' ? 'review' : report.verdict;
  return { verdict, findings: [...report.findings, ...findings] };
}
