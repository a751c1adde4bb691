/**
 * Calls that user interfaces of tools make, told from the model's where they can be: both come as a `tools/call` of the app, but an
 * interface uses the names of its own server, under which models are listed nothing. Source: SEP-1865 (MCP Apps, 2026-01-26).
 */
import { AppError } from '../../base/errors.ts';
import { shortName } from '../../base/shown-text.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { isFor, viewUriOf, withViewUri } from '../../servers/view-facts.ts';
import type { ViewTool } from '../../catalog/view-tools.ts';
import type { Result } from '../../wire/message.ts';
import { fact, RawJson } from '../../wire/raw-json.ts';
import type { SessionSettings } from '../session-settings.ts';

export class ViewCalls {
  /** Servers of whose tools with an interface one was called: their interfaces may be open. */
  readonly #open = new Set<string>();

  /** A tool was called by an app that shows interfaces: this one may be open from now on. */
  note({ server, definition }: CatalogEntry, { openedViews }: Pick<CallerContext, 'openedViews'>): void {
    const uri = viewUriOf(definition);
    if (uri === undefined) return;
    this.#open.add(server);
    openedViews?.add(uri);
  }

  /**
   * The tool that an interface means by this name; undefined for a name that models are listed, too, or that says nothing to interfaces.
   * Throws AppError not_allowed for a tool that is there for models alone, tool_ambiguous where it could be of several open interfaces.
   */
  find(name: string, settings: SessionSettings): ViewTool | undefined {
    const { catalog } = settings.view;
    if (!areShown(settings) || catalog.lookup.tools.listedAs(name) !== undefined) return undefined;
    const named = catalog.viewTools.filter((tool) => tool.name === name);
    if (named.length === 0) {
      const [own, ...others] = catalog.lookup.tools.named(name);
      if (own !== undefined && others.length === 0 && !isFor('app', own.definition)) throw forModelsOnly(own);
      return undefined;
    }
    const [only, ...others] = named.length === 1 ? named : named.filter(({ server }) => this.#open.has(server));
    if (only === undefined || others.length > 0) throw ambiguous(name, named);
    return only;
  }

  /** The answer of a helper, leading to the interface of the tool that was called through it, where it was one. */
  leading(answer: Result, opened: ReadonlySet<string>): Result {
    const [uri, ...others] = opened;
    if (uri === undefined || others.length > 0 || fact(answer, 'isError') === true) return answer;
    return answer instanceof RawJson ? answer.withMembers(withViewUri({}, uri)) : withViewUri(answer, uri);
  }
}

/** The app shows interfaces, and the person lets it. */
export function areShown({ ui }: SessionSettings): boolean {
  return ui !== undefined && ui !== 'off';
}

function forModelsOnly({ id }: CatalogEntry): AppError {
  return new AppError('not_allowed', `${id} is there for models, not for user interfaces, as its server says.`, {
    fix: 'The interface can ask for it in the conversation.',
  });
}

function ambiguous(name: string, tools: readonly ViewTool[]): AppError {
  const servers = tools.map(({ server }) => server);
  return new AppError(
    'tool_ambiguous',
    `${JSON.stringify(shortName(name))} is a tool of ${servers.join(' and ')}, and it cannot be told whose user interface calls it.`,
    {
      fix: `Let the app reach each of them at an address of its own: /mcp/server/${encodeURIComponent(servers[0] ?? 'NAME')}.`,
      data: { candidates: tools.map(({ id }) => id) },
    },
  );
}
