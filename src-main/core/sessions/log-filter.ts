/** Which log messages a session wants to see. */
import { asText, type JsonObject } from '../base/json.ts';

/** MCP's logging levels (RFC 5424), least severe first. */
const levels: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export class LogFilter {
  /** The least severe level wanted; undefined: whatever the server sends. */
  level: string | undefined;

  /** Whether a notification passes; anything but log messages does. */
  passes(method: string, params: JsonObject): boolean {
    if (method !== 'notifications/message' || this.level === undefined) return true;
    const given = levels.indexOf(asText(params['level']));
    return given < 0 || given >= levels.indexOf(this.level);
  }
}
