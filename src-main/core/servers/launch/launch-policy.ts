/** How commands are started on a core that serves several users: confined unless its operator decided otherwise. */
import type { ProtectedPaths } from '../../security/protected-paths.ts';
import type { EnvironmentResolver } from './resolve-environment.ts';

export interface LaunchPolicy {
  /** Paths that no command sees. */
  readonly hidden: ProtectedPaths;
  /** Commands run without a sandbox if none is available, as the operator of the process decided. */
  readonly allowsUnconfined: boolean;
  /** Settings that all commands inherit. */
  readonly environment: EnvironmentResolver;
}
