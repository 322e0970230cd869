import { CLOSE_CODES, type CloseReason } from '@ship/protocol';

/** A socket that is gone must not keep the others from being told. */
export function closeSocket(socket: WebSocket, reason: CloseReason): void {
  try {
    socket.close(CLOSE_CODES[reason], reason);
  } catch {
    // Closed by the other side a moment ago.
  }
}

export function sendText(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // Gone; its close event follows.
  }
}
