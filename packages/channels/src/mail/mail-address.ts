/** True for one plain address: no name, no comment, no quotes, and nothing that could start another header. */
export function isAddress(text: string): boolean {
  return (
    text.length <= 254 &&
    /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$/u.test(text)
  )
}

/** Returns the addresses of a comma-separated list; undefined if one of them is invalid. */
export function addressesOf(text: string): readonly string[] | undefined {
  const addresses = text.split(',').map((one) => one.trim())
  return addresses.every(isAddress) ? addresses : undefined
}

/** True for a message id: `<…@…>`, in printable characters. */
export function isMessageId(text: string): boolean {
  return text.length <= 500 && /^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(text)
}
