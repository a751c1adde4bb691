/** How commands are started in a core that serves several users: confined unless its operator decided otherwise. */
import type { CommandLimits } from '../../config/app-config.ts';
import type { ProtectedPaths } from '../../security/protected-paths.ts';
import type { EnvironmentResolver } from './resolve-environment.ts';

export interface LaunchPolicy {
  /** Paths that no command can see. */
  readonly hidden: ProtectedPaths;
  /** Whether commands run without a sandbox if none is available, as decided by the operator. */
  readonly allowsUnconfined: boolean;
  /** Limits of each command; available once the core is created. */
  readonly limits: () => CommandLimits;
  /** Settings that all commands inherit. */
  readonly environment: EnvironmentResolver;
}
