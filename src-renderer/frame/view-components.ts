/** Maps views to components. */
import type { Component } from 'svelte';
import type { View } from '../lib/addresses.ts';
import ActivityView from '../views/activity/ActivityView.svelte';
import InboxView from '../views/inbox/InboxView.svelte';
import OverviewView from '../views/overview/OverviewView.svelte';
import ServersView from '../views/servers/ServersView.svelte';
import SettingsView from '../views/settings/SettingsView.svelte';
import SetupView from '../views/setup/SetupView.svelte';
import SpillsView from '../views/spills/SpillsView.svelte';
import AuditView from '../views/team/AuditView.svelte';
import UsersView from '../views/team/UsersView.svelte';
import TeamServersView from '../views/team/TeamServersView.svelte';
import TokensView from '../views/team/TokensView.svelte';

const viewComponents: Readonly<Record<View, Component>> = {
  overview: OverviewView,
  inbox: InboxView,
  servers: ServersView,
  activity: ActivityView,
  spills: SpillsView,
  setup: SetupView,
  settings: SettingsView,
  people: UsersView,
  audit: AuditView,
  tokens: TokensView,
};

/** `isTeams`: a team's servers are shown read-only. */
export function componentOf(view: View, isTeams: boolean): Component {
  return view === 'servers' && isTeams ? TeamServersView : viewComponents[view];
}
