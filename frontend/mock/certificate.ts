/** The certificate of the mock, checked as far as a page can tell. */
import type { Certificate, CertificateFacts, CertificateReplaceWritable } from '@/api'
import { json, plan, refusal } from './answers'
import type { Planned, Shown } from './answers'
import type { World } from './world'

export const facts = (number: number, change: Partial<CertificateFacts> = {}): CertificateFacts => ({
  subject: 'CN=rack4',
  issuer: 'CN=rack4',
  names: ['rack4', '10.20.0.2'],
  not_before: '2026-01-01T00:00:00Z',
  not_after: '2036-01-01T00:00:00Z',
  fingerprint: Array.from({ length: 32 }, () => `0${number}`).join(':'),
  self_signed: true,
  chain: 0,
  ...change,
})

export const certificate = (): Certificate => ({ ...facts(1), replaceable: true, previous: null })

function take(world: World, fresh: CertificateFacts, title: string): Planned<Shown<Certificate>> {
  const before = world.certificate
  return {
    plan: plan(title, [['change', 'certificate', fresh.subject, `for ${fresh.names.join(', ')}`]], {
      warnings: ['Clients that remember the fingerprint of the one before refuse the new one.'],
    }),
    apply: () => {
      world.certificate = { ...fresh, replaceable: true, previous: before }
      return json(world.certificate)
    },
  }
}

export function replace(
  world: World,
  body: CertificateReplaceWritable,
): Planned<Shown<Certificate>> | Response {
  if (!body.private_key.includes('PRIVATE KEY'))
    return refusal('The certificate was rejected', [
      ['body.private_key', 'it is not a private key in PEM format'],
    ])
  return take(world, facts(2, { self_signed: false, issuer: 'CN=ca', chain: 1 }), 'Replace the certificate')
}

export const revert = (world: World): Planned<Shown<Certificate>> | Response =>
  world.certificate.previous
    ? take(world, world.certificate.previous, 'Revert to the certificate')
    : refusal('There is no certificate before this one', [], 409)

export const selfSign = (world: World): Planned<Shown<Certificate>> =>
  take(world, facts(3), 'Create a self-signed certificate')
