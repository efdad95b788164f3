"""Scrapy's TLS settings as options of libcurl's, and certificates as Scrapy gives them to responses."""

from __future__ import annotations

import ssl
from collections import OrderedDict
from pathlib import Path

import pycurl
from scrapy.settings import BaseSettings
from twisted.internet.ssl import Certificate

VERSIONS = ("TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3")
DEFAULT_MIN = "TLSv1.2"
# Where systems keep the certificates that they trust, for a Python that does not know.
TRUSTED = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/ssl/cert.pem",  # Alpine, macOS, BSD
)


def tls_options(settings: BaseSettings) -> dict[int, object]:
    """Return options for all transfers; ValueError, naming setting and value, for one that cannot be used."""
    verify = settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
    least = _version(settings, "DOWNLOAD_TLS_MIN_VERSION") or DEFAULT_MIN
    most = _version(settings, "DOWNLOAD_TLS_MAX_VERSION")
    options: dict[int, object] = {
        pycurl.SSL_VERIFYPEER: int(verify),
        pycurl.SSL_VERIFYHOST: 2 if verify else 0,
        pycurl.PROXY_SSL_VERIFYPEER: int(verify),
        pycurl.PROXY_SSL_VERIFYHOST: 2 if verify else 0,
        pycurl.SSLVERSION: _limits(least, most),
        pycurl.SSL_ENABLE_ALPN: 0,
        pycurl.OPT_CERTINFO: 1,
    }
    if ciphers := settings["DOWNLOADER_CLIENT_TLS_CIPHERS"]:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).set_ciphers(ciphers)
        except ssl.SSLError as error:
            raise ValueError(f"DOWNLOADER_CLIENT_TLS_CIPHERS must name ciphers, got {ciphers!r}") from error
        options[pycurl.SSL_CIPHER_LIST] = ciphers
    if verify:
        options |= _trust()
    return options


class Certificates:
    """The servers' certificates of open connections, ``most`` at most: libcurl tells them once a connection."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[int, Certificate] = OrderedDict()  # number of a connection -> certificate

    def of(self, curl: pycurl.Curl) -> Certificate | None:
        """Return the certificate of the server that a finished transfer talked to."""
        connection = curl.getinfo(pycurl.CONN_ID)
        if chain := curl.getinfo(pycurl.INFO_CERTINFO):
            self._known[connection] = Certificate.loadPEM(dict(chain[0])["Cert"])
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        if connection in self._known:
            self._known.move_to_end(connection)
        return self._known.get(connection)


def _version(settings: BaseSettings, name: str) -> str | None:
    version = settings[name]
    if version is not None and version not in VERSIONS:
        raise ValueError(f"{name} must be one of {', '.join(VERSIONS)}, got {version!r}")
    return version  # type: ignore[no-any-return]  # one of VERSIONS


def _limits(least: str, most: str | None) -> int:
    limits: int = getattr(pycurl, "SSLVERSION_" + least.replace(".", "_"))
    if most is not None:
        limits |= getattr(pycurl, "SSLVERSION_MAX_" + most.replace(".", "_"))
    return limits


def _trust() -> dict[int, object]:
    paths = ssl.get_default_verify_paths()
    files = [path for path in (paths.cafile, *TRUSTED) if path and Path(path).is_file()]
    options: dict[int, object] = {pycurl.CAINFO: files[0], pycurl.PROXY_CAINFO: files[0]} if files else {}
    if paths.capath:
        options |= {pycurl.CAPATH: paths.capath, pycurl.PROXY_CAPATH: paths.capath}
    return options
