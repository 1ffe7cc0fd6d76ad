/**
 * Record batches as Arrow IPC stream bytes, one batch at a time: schema, then dictionaries and batches, then the end mark.
 *
 * apache-arrow's writer puts its bytes into an `AsyncByteQueue`; this one keeps them until they are taken, so that a batch is encoded when
 * a reader asks for it and not before. O(bytes) a batch; the bytes are a copy, no buffer of a batch is handed out.
 */

import { AsyncByteQueue, type RecordBatch, RecordBatchStreamWriter, type Schema } from "apache-arrow";

class ByteSink extends AsyncByteQueue {
  #parts: Uint8Array[] = [];

  override write(part: ArrayBufferLike | ArrayBufferView): void {
    this.#parts.push(ArrayBuffer.isView(part) ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength) : new Uint8Array(part));
  }

  override close(): void {}

  take(): Uint8Array {
    const bytes = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.byteLength, 0));
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.byteLength;
    }
    this.#parts = [];
    return bytes;
  }
}

export class IPCEncoder {
  readonly #sink = new ByteSink();
  readonly #writer = new RecordBatchStreamWriter({ autoDestroy: false });

  constructor(schema: Schema) {
    this.#writer.reset(this.#sink, schema);
  }

  /** The bytes since the last call, this batch's included; the first have the schema. */
  batch(batch: RecordBatch): Uint8Array {
    this.#writer.write(batch);
    return this.#sink.take();
  }

  /** The bytes that end the stream. */
  end(): Uint8Array {
    this.#writer.finish();
    return this.#sink.take();
  }
}
