/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian has no static p11-kit, which GnuTLS needs, so the static coldspot has no TLS. These are
 * the functions of GnuTLS that libmicrohttpd contains calls of. Those at the start succeed, the
 * others are never called: libmicrohttpd says that it has no TLS, and `serve` refuses to use it.
 */
#include <stddef.h>

#include <microhttpd.h>

#define NOT_CALLED(X)                                                                              \
	X(gnutls_alpn_set_protocols)                                                               \
	X(gnutls_bye)                                                                              \
	X(gnutls_certificate_allocate_credentials)                                                 \
	X(gnutls_certificate_free_credentials)                                                     \
	X(gnutls_certificate_server_set_request)                                                   \
	X(gnutls_certificate_set_dh_params)                                                        \
	X(gnutls_certificate_set_retrieve_function2)                                               \
	X(gnutls_certificate_set_retrieve_function3)                                               \
	X(gnutls_certificate_set_x509_key_mem)                                                     \
	X(gnutls_certificate_set_x509_key_mem2)                                                    \
	X(gnutls_certificate_set_x509_trust_mem)                                                   \
	X(gnutls_cipher_get)                                                                       \
	X(gnutls_credentials_set)                                                                  \
	X(gnutls_deinit)                                                                           \
	X(gnutls_dh_params_deinit)                                                                 \
	X(gnutls_dh_params_import_pkcs3)                                                           \
	X(gnutls_dh_params_init)                                                                   \
	X(gnutls_handshake)                                                                        \
	X(gnutls_init)                                                                             \
	X(gnutls_priority_deinit)                                                                  \
	X(gnutls_priority_init)                                                                    \
	X(gnutls_priority_set)                                                                     \
	X(gnutls_protocol_get_version)                                                             \
	X(gnutls_psk_allocate_server_credentials)                                                  \
	X(gnutls_psk_free_server_credentials)                                                      \
	X(gnutls_psk_set_server_credentials_function)                                              \
	X(gnutls_record_check_pending)                                                             \
	X(gnutls_record_get_direction)                                                             \
	X(gnutls_record_recv)                                                                      \
	X(gnutls_record_send)                                                                      \
	X(gnutls_session_get_ptr)                                                                  \
	X(gnutls_session_set_ptr)                                                                  \
	X(gnutls_strerror)                                                                         \
	X(gnutls_transport_set_int2)

#define X(name)                                                                                    \
	long name(void);                                                                           \
	long name(void)                                                                            \
	{                                                                                          \
		return -1;                                                                         \
	}
NOT_CALLED(X)
#undef X

extern void *(*gnutls_malloc)(size_t sz);
void *(*gnutls_malloc)(size_t sz);

int gnutls_global_init(void);
int gnutls_global_init(void)
{
	return 0;
}

void gnutls_global_deinit(void);
void gnutls_global_deinit(void)
{
}

enum MHD_Result __real_MHD_is_feature_supported(enum MHD_FEATURE feature);
enum MHD_Result __wrap_MHD_is_feature_supported(enum MHD_FEATURE feature);
enum MHD_Result __wrap_MHD_is_feature_supported(enum MHD_FEATURE feature)
{
	return feature == MHD_FEATURE_TLS ? MHD_NO : __real_MHD_is_feature_supported(feature);
}
