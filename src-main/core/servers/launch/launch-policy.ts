/** How commands are started on a core that serves several users: always confined. */
import type { ProtectedPaths } from '../../security/protected-paths.ts';
import type { EnvironmentResolver } from './resolve-environment.ts';

export interface LaunchPolicy {
  /** Paths that no command sees. */
  readonly hidden: ProtectedPaths;
  /** Settings that all commands inherit. */
  readonly environment: EnvironmentResolver;
}
