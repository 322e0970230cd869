/** The same stream; afterwards it tells its length, or throws what broke it off. */
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
        // Not `error()`: whoever reads takes that for an end as well, and workerd logs it as nobody's fault.
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
