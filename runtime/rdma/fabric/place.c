/* Specifications of fabrics: "ucx:ADDRESS", and the socket addresses of places. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "fabric.h"

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

bool dpk_fabric_is_for_peers(const uint8_t ip[16])
{
    static const uint8_t zeros[16];
    if (memcmp(ip, mapped, sizeof mapped) == 0)
        return ip[12] != 0 && ip[12] < 224;
    return memcmp(ip, zeros, sizeof zeros) != 0 && ip[0] != 0xff;
}

enum dpk_status dpk_fabric_parse(const char *spec, struct dpk_fabric_place *out,
                                 struct dpk_error *err)
{
    static const char kind[] = "ucx:";
    const char *ip = spec + strlen(kind);
    *out = (struct dpk_fabric_place){.port = 0};
    if (strlen(spec) >= DPK_FABRIC_TEXT_MAX || strncmp(spec, kind, strlen(kind)) != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%.80s is not a fabric: ucx:ADDRESS, off", spec);
    memcpy(out->ip, mapped, sizeof mapped);
    if (inet_pton(AF_INET, ip, out->ip + sizeof mapped) != 1 &&
        inet_pton(AF_INET6, ip, out->ip) != 1)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "%s is not an IP address of this machine, such as 192.0.2.1", ip);
    return dpk_fabric_is_for_peers(out->ip)
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_USAGE, "no peer can reach %s", ip);
}

socklen_t dpk_fabric_place_to_socket(const struct dpk_fabric_place *place,
                                     struct sockaddr_storage *out)
{
    memset(out, 0, sizeof *out);
    if (memcmp(place->ip, mapped, sizeof mapped) == 0) {
        struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(place->port)};
        memcpy(&in.sin_addr, place->ip + sizeof mapped, sizeof in.sin_addr);
        memcpy(out, &in, sizeof in);
        return sizeof in;
    }
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(place->port)};
    memcpy(&in6.sin6_addr, place->ip, sizeof in6.sin6_addr);
    memcpy(out, &in6, sizeof in6);
    return sizeof in6;
}

bool dpk_fabric_place_of_socket(const struct sockaddr *at, struct dpk_fabric_place *out)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    if (at->sa_family == AF_INET) {
        memcpy(&in, at, sizeof in);
        out->port = ntohs(in.sin_port);
        memcpy(out->ip, mapped, sizeof mapped);
        memcpy(out->ip + sizeof mapped, &in.sin_addr, sizeof in.sin_addr);
    } else if (at->sa_family == AF_INET6) {
        memcpy(&in6, at, sizeof in6);
        out->port = ntohs(in6.sin6_port);
        memcpy(out->ip, &in6.sin6_addr, sizeof out->ip);
    }
    return at->sa_family == AF_INET || at->sa_family == AF_INET6;
}
