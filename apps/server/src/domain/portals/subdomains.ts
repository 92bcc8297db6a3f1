import { invalid } from '#domain/refusal'

/** Names that would let a Portal pass for a part of the service, or that programs look for by themselves. */
const reserved = new Set(
  `about abuse account accounts admin administrator agent api app apps assets auth autoconfig autodiscover backup beta
  billing blog cdn cloud confirm console contact dashboard demo dev dns docs download downloads email example files ftp
  gateway help home host hostmaster http https images imap img info internal invite isatap legal local localhost login
  logout longshore mail mailer marketing media metrics monitor news noreply no-reply ns ns0 ns1 ns2 ns3 ns4 oauth pop pop3
  portal portals postmaster privacy private proxy public register root s3 sales search secure security setup share shop
  signin signup sftp smtp sso ssh ssl staging static status storage support sysadmin system team teams terms test upload
  uploads user users vpn web webhook webhooks webmail webmaster wpad www www1 www2`.split(/\s+/),
)

/** A subdomain has passed the contract's pattern; here is what its rules say besides. */
export function checkSubdomain(subdomain: string): void {
  if (reserved.has(subdomain)) throw invalid('subdomain', 'is reserved; choose another')
  // Two hyphens in third place mark a name that browsers show as something else: xn--… is Unicode in disguise.
  if (subdomain.slice(2, 4) === '--') throw invalid('subdomain', 'must not have hyphens in third and fourth place')
}
