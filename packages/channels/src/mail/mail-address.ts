/** One plain address: no name, no comment, nothing quoted, and nothing that could begin another header. */
export function isAddress(text: string): boolean {
  return (
    text.length <= 254 &&
    /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$/u.test(text)
  )
}

/** The addresses of a list with commas; nothing when one of them is none. */
export function addressesOf(text: string): readonly string[] | undefined {
  const addresses = text.split(',').map((one) => one.trim())
  return addresses.every(isAddress) ? addresses : undefined
}

/** What a mail is called by: `<…@…>`, in letters that show. */
export function isMessageId(text: string): boolean {
  return text.length <= 500 && /^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(text)
}
