/** The value kept for a key, made when it is first asked for. What throws keeps nothing. */
export function memo<K, V>(kept: { get(key: K): V | undefined; set(key: K, value: V): unknown }, key: K, make: () => V): V {
  let value = kept.get(key);
  if (value === undefined) {
    value = make();
    kept.set(key, value);
  }
  return value;
}
