/** Counts the bytes of a stream. After its end, `size()` returns the count or throws the error that cut it off. */
export function counted(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  let size = 0;
  let failure: Error | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        size += value.length;
        controller.enqueue(value);
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        // Not `error()`: the reader treats it as a normal end too, and workerd logs an uncaught error.
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return {
    body,
    size(): number {
      if (failure !== undefined) throw failure;
      return size;
    },
  };
}
