import { randomUUID } from 'node:crypto'
import { engineFolder, type Home } from '#home'

/** The smallest Ceph that behaves like a real one: a mon, an OSD on a sparse file and the S3 gateway. */
export function cephConfiguration(home: Home): string {
  const { mon, osdFirst, osdLast } = home.ports
  const monFolder = engineFolder(home, 'ceph-mon')
  const osdFolder = engineFolder(home, 'ceph-osd')
  const gatewayFolder = engineFolder(home, 'radosgw')
  return `[global]
fsid = ${randomUUID()}
mon_host = [v2:127.0.0.1:${mon}/0]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
ms_bind_msgr1 = false
ms_bind_port_min = ${osdFirst}
ms_bind_port_max = ${osdLast}
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
; each process stays in the foreground and we note its pid ourselves
pid_file =
log_to_stderr = false
err_to_stderr = true
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_allow_pool_delete = true
mon_max_pg_per_osd = 2000
mon_data_avail_warn = 2
mon_data_avail_crit = 1

[mon]
run_dir = ${monFolder}
admin_socket = ${monFolder}/ceph-mon.asok
log_file = ${monFolder}/ceph-mon.log
crash_dir = ${monFolder}
mon_cluster_log_file = ${monFolder}/cluster.log
mon_data = ${monFolder}/store
; default 1 s: every pool that radosgw makes waits on it
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
mon_warn_on_pool_no_redundancy = false
mon_warn_on_insecure_global_id_reclaim_allowed = false

[osd]
run_dir = ${osdFolder}
admin_socket = ${osdFolder}/ceph-osd.asok
log_file = ${osdFolder}/ceph-osd.log
crash_dir = ${osdFolder}
osd_data = ${osdFolder}/store
osd_objectstore = bluestore
osd_memory_target = ${2 ** 30}
bluestore_block_size = ${home.identity.osd_bytes}
bluestore_fsck_on_mkfs = false
; default 250 ms: paid at each of a dozen device closes during mkfs and start
bdev_aio_poll_ms = 20
osd_fast_shutdown = true
; default 30 s: so long every change of a bucket waits for a radosgw that was killed to agree
osd_client_watch_timeout = 10

[client]
keyring = /dev/null
; radosgw defaults to "secure", which a cluster without authentication cannot do: EACCES for 300 s
ms_mon_client_mode = crc
client_mount_timeout = 30
rgw_data = ${gatewayFolder}
rgw_max_concurrent_requests = 1024
rgw_enable_usage_log = false
rgw_crypt_require_ssl = false
; default 2 h: the space of deleted objects and aborted uploads would stay taken
rgw_gc_obj_min_wait = 10
rgw_gc_processor_period = 10
rgw_gc_processor_max_time = 10
; default 3: they take the same locks from one another and wait 5 s each time, and a shutdown waits for them
rgw_lc_max_worker = 1

[client.rgw.0]
run_dir = ${gatewayFolder}
admin_socket = ${gatewayFolder}/radosgw.asok
log_file = ${gatewayFolder}/radosgw.log
crash_dir = ${gatewayFolder}
`
}
