import { CLOSE_CODES, type CloseReason } from '@ship/protocol';

/** Ignores errors of closed sockets: one dead socket must not stop a broadcast to the others. */
export function closeSocket(socket: WebSocket, reason: CloseReason): void {
  try {
    socket.close(CLOSE_CODES[reason], reason);
  } catch {
    // The peer closed it a moment ago.
  }
}

export function sendText(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // Already closed; its close event follows.
  }
}
