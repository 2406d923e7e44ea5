// What is in the page: numbers in columns, compressed, as text. encode.go made
// them.

// unpack returns the bytes that text is, base64 of gzip.
async function unpack(text) {
  let packed;
  if (Uint8Array.fromBase64) {
    packed = Uint8Array.fromBase64(text);
  } else {
    const raw = atob(text);
    packed = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) packed[i] = raw.charCodeAt(i);
  }
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

// decoder returns a function that makes an array of the given type of a column.
function decoder(bytes, columns) {
  return (name, Type) => {
    const { n, at: start, delta } = columns[name];
    const out = new Type(n);
    let at = start;
    let prev = 0;
    for (let i = 0; i < n; i++) {
      let b = bytes[at++];
      let v = b & 127;
      // Numbers above 32 bits are past what shifts can do.
      for (let unit = 128; b > 127; unit *= 128) {
        b = bytes[at++];
        v += (b & 127) * unit;
      }
      if (delta) {
        prev += v % 2 ? -(v + 1) / 2 : v / 2;
        v = prev;
      }
      out[i] = v;
    }
    return out;
  };
}

// group sorts 0..n-1 by keys, which are below size: of(k) are those with key k,
// in order.
function group(keys, size) {
  const from = new Uint32Array(size + 1);
  for (let i = 0; i < keys.length; i++) from[keys[i] + 1]++;
  for (let k = 0; k < size; k++) from[k + 1] += from[k];
  const next = from.slice();
  const list = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) list[next[keys[i]]++] = i;
  return { of: (k) => list.subarray(from[k], from[k + 1]) };
}

// after returns the first index of list whose time is greater than t; list is in
// order of at[list[i]], or of at[i] if list is null.
function after(list, at, t) {
  let lo = 0;
  let hi = list ? list.length : at.length;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (at[list ? list[mid] : mid] <= t) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}
