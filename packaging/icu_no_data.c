/* Takes the place, in the wheel and the tarball, of ICU's data, 31 MB of tables
 * that nothing here uses: libxml2 is linked with ICU, but asks iconv first,
 * which knows the same encodings. A package of data with no entries, in ICU's
 * common format. */

#include <stdint.h>

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)

extern const struct package JOIN(icudt, ICU_VERSION, _dat);

const struct package {
    uint16_t header_len;
    uint8_t magic[2];
    uint16_t info_len, reserved;
    uint8_t is_big_endian, charset_family, unit_len, reserved_byte;
    char format[4];
    uint8_t format_version[4], data_version[4];
    uint8_t padding[8];
    uint32_t n_entries;
    uint32_t nothing[3];
} JOIN(icudt, ICU_VERSION, _dat) = {
    .header_len = 32,
    .magic = {0xda, 0x27},
    .info_len = 20,
    .unit_len = 2,
    .format = {'C', 'm', 'n', 'D'},
    .format_version = {1, 0, 0, 0},
};
