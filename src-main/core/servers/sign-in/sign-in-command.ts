/** How a person signs in to this server from a terminal. */
export function signInCommand(serverName: string): string {
  return `tooltray sign-in ${/^[\w.-]+$/.test(serverName) ? serverName : JSON.stringify(serverName)}`;
}
