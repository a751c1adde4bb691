/** What a replica is there for: client apps, processes of single people, or both. */
export const replicaRoles = ['front', 'runner', 'all'] as const;

export type ReplicaRole = (typeof replicaRoles)[number];
