/** Which component shows which view. */
import type { Component } from 'svelte';
import type { View } from '../lib/addresses.ts';
import ActivityView from '../views/activity/ActivityView.svelte';
import InboxView from '../views/inbox/InboxView.svelte';
import OverviewView from '../views/overview/OverviewView.svelte';
import ServersView from '../views/servers/ServersView.svelte';
import SettingsView from '../views/settings/SettingsView.svelte';
import SetupView from '../views/setup/SetupView.svelte';
import SpillsView from '../views/spills/SpillsView.svelte';

export const viewComponents: Readonly<Record<View, Component>> = {
  overview: OverviewView,
  inbox: InboxView,
  servers: ServersView,
  activity: ActivityView,
  spills: SpillsView,
  setup: SetupView,
  settings: SettingsView,
};
