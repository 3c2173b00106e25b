/** Frames of MMS between a client and a device, each with its octets, which were put together element by element. */

import { decodeHex } from '#base/hex.ts'
import type { MmsFrame } from '#grid/protocols/mms/frame.ts'
import type { MmsPdu } from '#grid/protocols/mms/pdu.ts'
import type { MmsRequest } from '#grid/protocols/mms/requests.ts'
import type { MmsResponse } from '#grid/protocols/mms/responses.ts'
import type { MmsData } from '#grid/protocols/mms-data.ts'

const connection = [
  { code: 0xc0, value: decodeHex('0d') },
  { code: 0xc2, value: decodeHex('0001') },
  { code: 0xc1, value: decodeHex('0001') },
]

const time: MmsData = { kind: 'utc_time', value: { seconds: 0x69248000, fraction: 0, quality: 10 } }

/** A power with its quality and time. */
const measured: MmsData = {
  kind: 'structure',
  entries: [
    { kind: 'structure', entries: [{ kind: 'float', value: 123 }] },
    { kind: 'bit_string', unusedBits: 3, bytes: decodeHex('0000') },
    time,
  ],
}

/** ctlVal, origin, ctlNum, T, Test and Check of a control (IEC 61850-8-1 clause 20). */
const operation: MmsData = {
  kind: 'structure',
  entries: [
    { kind: 'boolean', value: false },
    {
      kind: 'structure',
      entries: [
        { kind: 'integer', value: 3 },
        { kind: 'octet_string', bytes: decodeHex('6363') },
      ],
    },
    { kind: 'unsigned', value: 7 },
    time,
    { kind: 'boolean', value: false },
    { kind: 'bit_string', unusedBits: 6, bytes: decodeHex('00') },
  ],
}

const report: readonly MmsData[] = [
  { kind: 'visible_string', value: 'rcb01' },
  { kind: 'bit_string', unusedBits: 6, bytes: decodeHex('4000') },
  { kind: 'binary_time', bytes: decodeHex('01b774003a8f') },
  { kind: 'float', value: 123 },
]

const data = (pdu: MmsPdu): MmsFrame => ({ kind: 'data', context: 3, pdu })
const asked = (invokeId: number, request: MmsRequest) => data({ kind: 'confirmed_request', invokeId, request })
const answered = (invokeId: number, response: MmsResponse) => data({ kind: 'confirmed_response', invokeId, response })
const ends = { serviceClass: 0, parameters: connection }

/** Frames on TPKT, without those that begin an association. */
export const mmsDialogue: readonly { readonly name: string; readonly octets: string; readonly frame: MmsFrame }[] = [
  {
    name: 'a request for a connection',
    octets: '0300001611e00000000100c0010dc2020001c1020001',
    frame: { kind: 'connection_request', destinationReference: 0, sourceReference: 1, ...ends },
  },
  {
    name: 'its confirmation',
    octets: '0300001611d00001000200c0010dc2020001c1020001',
    frame: { kind: 'connection_confirm', destinationReference: 1, sourceReference: 2, ...ends },
  },
  {
    name: 'a request for names',
    octets: '0300003102f0800100010061243022020103a01da01b020101a116a003800100a1098107494544314c443082044c4c4e' + '30',
    frame: asked(1, { service: 'get_name_list', objectClass: 0, domain: 'IED1LD0', continueAfter: 'LLN0' }),
  },
  {
    name: 'names',
    octets: '0300002e02f080010001006121301f020103a01aa118020101a113a00e1a054d4d5855311a055843425231810100',
    frame: answered(1, { service: 'get_name_list', names: ['MMXU1', 'XCBR1'], moreFollows: false }),
  },
  {
    name: 'a read',
    octets:
      '0300003d02f080010001006130302e020103a029a027020102a422a120a01e301ca01aa1181a07494544314c44301a0d' +
      '4d4d585531244d5824546f7457',
    frame: asked(2, {
      service: 'read',
      variables: { names: [{ scope: 'domain', domain: 'IED1LD0', item: 'MMXU1$MX$TotW' }] },
    }),
  },
  {
    name: 'what was read',
    octets:
      '0300003a02f08001000100612d302b020103a026a124020102a41fa11da218a20787050842f600008403030000910869' +
      '2480000000000a80010a',
    frame: answered(2, { service: 'read', results: [measured, { kind: 'failure', code: 10 }] }),
  },
  {
    name: 'an operation of a breaker',
    octets:
      '0300006302f0800100010061563054020103a04fa04d020103a548a0223020a01ea11c1a07494544314c44301a115843' +
      '42523124434f24506f73244f706572a022a220830100a207850103890263638601079108692480000000000a83010084' +
      '020600',
    frame: asked(3, {
      service: 'write',
      variables: { names: [{ scope: 'domain', domain: 'IED1LD0', item: 'XCBR1$CO$Pos$Oper' }] },
      data: [operation],
    }),
  },
  {
    name: 'its success beside an error',
    octets: '0300002002f0800100010061133011020103a00ca10a020103a5058100800103',
    frame: answered(3, { service: 'write', results: [null, 3] }),
  },
  {
    name: 'a question of identity',
    octets: '0300001b02f08001000100610e300c020103a007a0050201048200',
    frame: asked(4, { service: 'identify' }),
  },
  {
    name: 'an identity',
    octets: '0300002c02f08001000100611f301d020103a018a116020104a21180054d616b657281034945448203312e30',
    frame: answered(4, { service: 'identify', vendor: 'Maker', model: 'IED', revision: '1.0' }),
  },
  {
    name: 'a report',
    octets:
      '0300003c02f08001000100612f302d020103a028a326a024a1058003525054a01b8a05726362303184030640008c0601' +
      'b774003a8f87050842f60000',
    frame: data({ kind: 'information_report', variables: { list: { scope: 'vmd', item: 'RPT' } }, results: report }),
  },
  {
    name: 'the end of an association',
    octets: '0300001602f0800100010061093007020103a0028b00',
    frame: data({ kind: 'conclude_request' }),
  },
  {
    name: 'its answer',
    octets: '0300001602f0800100010061093007020103a0028c00',
    frame: data({ kind: 'conclude_response' }),
  },
]

/** The frames that begin one: request and answer, each with an initiate in it. */
export const mmsAssociation = {
  request:
    '030000bb02f0800db20506130100160102140200023302000134020001c19c318199a003800101a28191810400000001' +
    '820400000001a423300f0201010604520100013004060251013010020103060528ca220201300406025101615e305c02' +
    '0101a0576055a107060528ca220203a20706052901876701a30302010ca606060429018767a70302010cbe2f282d0201' +
    '03a028a826800300fde881010582010583010aa416800101810305f100820c03ee1c00000408000079ef18',
  response:
    '0300008f02f0800e8605061301001601021402000234020001c1743172a003800101a26b830400000001a51230078001' +
    '0081025101300780010081025101614f304d020101a0486146a107060528ca220203a203020100a305a103020100be2f' +
    '282d020103a028a926800300fde881010582010583010aa416800101810305f100820c03ee1c00000408000079ef18',
} as const
