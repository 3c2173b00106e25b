/** Numbers of the PCAPNG format that are written and read (draft-ietf-opsawg-pcapng sections 3 and 4). */

/** Types of blocks. */
export const blockType = { section: 0x0a0d0d0a, interface: 1, simple: 3, enhanced: 6 } as const

/** Codes of options; each type of block has its own. */
export const optionCode = { comment: 1, name: 2, application: 4, resolution: 9, timeOffset: 14 } as const

/** The mark of a section by which a reader finds its byte order. */
export const byteOrderMark = 0x1a2b3c4d
